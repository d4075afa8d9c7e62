-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE graph (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    source_path TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    content BLOB NOT NULL
);
CREATE TABLE problem (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    device TEXT NOT NULL,
    reserve_bytes INTEGER NOT NULL CHECK (reserve_bytes >= 0),
    rounding INTEGER NOT NULL CHECK (rounding IN (1, 512)),
    planner TEXT NOT NULL,
    options TEXT NOT NULL,
    budget_bytes INTEGER NOT NULL CHECK (budget_bytes >= 0)
);
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',
    budget_bytes INTEGER NOT NULL CHECK (budget_bytes >= 0),
    planner TEXT NOT NULL,
    status TEXT NOT NULL,
    peak_bytes INTEGER,
    step_time_ns INTEGER,
    plan TEXT
);
CREATE TABLE view (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL
);
