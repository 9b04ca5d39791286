-- An endpoint is sent what whoever made it, or changed it last, may read. Nobody is known of earlier ones.
ALTER TYPE "webhook_disabled_reason" ADD VALUE 'RIGHT_ENDED' AFTER 'GONE';

ALTER TABLE "webhook_endpoints" ADD COLUMN "maker_user_id" TEXT,
                                ADD COLUMN "maker_key_id" TEXT;
