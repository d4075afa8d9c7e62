-- SPDX-License-Identifier: Apache-2.0
ALTER TABLE problem ADD COLUMN data_parallel TEXT NOT NULL DEFAULT '';
