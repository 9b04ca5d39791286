CREATE INDEX CONCURRENTLY "audit_events_organization_id_request_id_occurred_at_id_idx" ON "audit_events"
  ("organization_id", "request_id", "occurred_at", "id");
