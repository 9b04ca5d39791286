CREATE INDEX CONCURRENTLY "audit_events_organization_id_target_id_id_idx" ON "audit_events" ("organization_id", "target_id", "id");
