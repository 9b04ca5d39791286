ALTER TABLE "idempotency_keys" ADD COLUMN "entity_tag" TEXT;
