CREATE INDEX CONCURRENTLY "memberships_given_name_idx" ON "memberships"
  ("organization_id", (lower(nullif("first_name", '')) COLLATE "C"), "ordinal")
  WHERE "directory_deleted_at" IS NULL;
