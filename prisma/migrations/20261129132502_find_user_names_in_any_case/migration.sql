CREATE INDEX CONCURRENTLY "memberships_folded_user_name_idx" ON "memberships"
  ("organization_id", (lower(coalesce("directory_user_name", "email_key")) COLLATE "C"), "ordinal")
  WHERE "directory_deleted_at" IS NULL;
