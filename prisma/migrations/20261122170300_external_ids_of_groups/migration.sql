CREATE UNIQUE INDEX CONCURRENTLY "groups_directory_external_id_unique"
  ON "groups" ("organization_id", "directory_external_id");
