CREATE UNIQUE INDEX CONCURRENTLY "memberships_directory_user_name_unique"
  ON "memberships" ("organization_id", (lower("directory_user_name" COLLATE "C")))
  WHERE "directory_user_name" IS NOT NULL;
