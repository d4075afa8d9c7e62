-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    source_path TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT '{}',
    view TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE blob (
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (document, name)
);
INSERT INTO document SELECT 1, 'plan', graph.name, source_path, content_hash, '{}', view.state FROM graph, view;
INSERT INTO blob SELECT 1, 'content', content FROM graph;

ALTER TABLE problem RENAME TO problem_5;
CREATE TABLE problem (
    document INTEGER PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    device TEXT NOT NULL,
    reserve_bytes INTEGER NOT NULL CHECK (reserve_bytes >= 0),
    rounding INTEGER NOT NULL CHECK (rounding IN (1, 512)),
    planner TEXT NOT NULL,
    options TEXT NOT NULL,
    budget_bytes INTEGER NOT NULL CHECK (budget_bytes >= 0),
    sizes TEXT NOT NULL,
    pins TEXT NOT NULL,
    data_parallel TEXT NOT NULL
);
INSERT INTO problem SELECT 1, device, reserve_bytes, rounding, planner, options, budget_bytes, sizes, pins, data_parallel FROM problem_5, document;

ALTER TABLE run RENAME TO run_5;
CREATE TABLE run (
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    budget_bytes INTEGER NOT NULL CHECK (budget_bytes >= 0),
    planner TEXT NOT NULL,
    status TEXT NOT NULL,
    peak_bytes INTEGER,
    step_time_ns INTEGER,
    plan TEXT,
    sizes TEXT NOT NULL,
    PRIMARY KEY (document, id)
);
INSERT INTO run SELECT 1, run_5.id, run_5.name, budget_bytes, planner, status, peak_bytes, step_time_ns, plan, sizes FROM run_5, document;

ALTER TABLE measurement RENAME TO measurement_5;
CREATE TABLE measurement (
    document INTEGER PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sizes TEXT NOT NULL
);
INSERT INTO measurement SELECT 1, measurement_5.name, sizes FROM measurement_5, document;
INSERT INTO blob SELECT 1, 'measurement', content FROM measurement_5, document;

DROP TABLE graph;
DROP TABLE view;
DROP TABLE problem_5;
DROP TABLE run_5;
DROP TABLE measurement_5;
