CREATE UNIQUE INDEX CONCURRENTLY "memberships_directory_external_id_unique"
  ON "memberships" ("organization_id", "directory_external_id");
