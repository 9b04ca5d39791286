-- A changed row that finds room on its page leaves the indexes as they are. Batches change many rows of a page at once.
ALTER TABLE "app_resources" SET (fillfactor = 90);
