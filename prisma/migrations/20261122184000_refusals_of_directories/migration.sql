CREATE TABLE "directory_refusals" (
    "organization_id" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "api_key_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "status" BIGINT NOT NULL,
    "scim_type" TEXT NOT NULL DEFAULT '',
    "detail" TEXT NOT NULL,
    "request_id" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "directory_refusals_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "directory_refusals_status_is_4xx" CHECK ("status" BETWEEN 400 AND 499)
);

ALTER TABLE "directory_refusals" ADD CONSTRAINT "directory_refusals_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
