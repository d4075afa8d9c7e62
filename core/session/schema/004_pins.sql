-- SPDX-License-Identifier: Apache-2.0
ALTER TABLE problem ADD COLUMN pins TEXT NOT NULL DEFAULT '[]';
