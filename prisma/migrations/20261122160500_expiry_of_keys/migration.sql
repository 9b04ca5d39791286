ALTER TABLE "api_keys" ADD COLUMN "expires_at" TIMESTAMPTZ(3);
