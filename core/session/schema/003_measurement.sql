-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE measurement (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    sizes TEXT NOT NULL
);
