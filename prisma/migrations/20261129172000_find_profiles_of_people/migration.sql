CREATE INDEX CONCURRENTLY "source_profiles_organization_id_user_id_idx" ON "source_profiles" ("organization_id", "user_id");
