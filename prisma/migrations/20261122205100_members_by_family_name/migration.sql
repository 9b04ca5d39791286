CREATE INDEX CONCURRENTLY "memberships_family_name_idx" ON "memberships"
  ("organization_id", (lower(nullif("last_name", '')) COLLATE "C"), "ordinal")
  WHERE "directory_deleted_at" IS NULL;
