CREATE TABLE "idempotency_keys" (
    "organization_id" TEXT NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "answer" TEXT,
    "error" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("organization_id", "actor_kind", "actor_id", "method", "key"),
    CONSTRAINT "idempotency_keys_key_format" CHECK ("key" ~ '^[!-~]{1,255}$'),
    CONSTRAINT "idempotency_keys_request_hash_is_sha256" CHECK (octet_length("request_hash") = 32),
    CONSTRAINT "idempotency_keys_answer_or_error" CHECK ("answer" IS NULL OR "error" IS NULL)
);

CREATE INDEX "idempotency_keys_organization_id_expires_at_idx" ON "idempotency_keys"("organization_id", "expires_at");

ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
