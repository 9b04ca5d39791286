CREATE UNIQUE INDEX CONCURRENTLY "department_options_name_key_unique" ON "department_options" ("organization_id", "name_key");
