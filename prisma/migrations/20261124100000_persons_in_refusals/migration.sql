ALTER TABLE "directory_refusals" ADD COLUMN "user_name" TEXT NOT NULL DEFAULT '',
ADD COLUMN "external_id" TEXT NOT NULL DEFAULT '',
ADD COLUMN "attribute" TEXT NOT NULL DEFAULT '',
DROP CONSTRAINT "directory_refusals_status_is_4xx",
ADD CONSTRAINT "directory_refusals_status_fits" CHECK ("status" BETWEEN 400 AND 499 OR "status" IN (200, 201) AND "attribute" <> '') NOT VALID;
