-- Whether so far only late results brought an artifact: then it has not counted as evidence.
ALTER TABLE artifact ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
