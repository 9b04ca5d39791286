CREATE INDEX CONCURRENTLY "memberships_deactivated_idx" ON "memberships" ("organization_id", "ordinal")
  WHERE "deactivated_at" IS NOT NULL AND "directory_deleted_at" IS NULL;
