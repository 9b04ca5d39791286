CREATE UNIQUE INDEX CONCURRENTLY "memberships_folded_user_name_unique"
  ON "memberships" ("organization_id", (lower("directory_user_name")))
  WHERE "directory_user_name" IS NOT NULL;
