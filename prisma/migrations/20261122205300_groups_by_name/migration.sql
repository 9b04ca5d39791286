CREATE INDEX CONCURRENTLY "groups_name_idx" ON "groups"
  ("organization_id", (lower(nullif("name", '')) COLLATE "C"), "ordinal");
