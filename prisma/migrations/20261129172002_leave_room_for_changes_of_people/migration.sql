-- A changed row that finds room on its page leaves the indexes as they are.
ALTER TABLE "memberships" SET (fillfactor = 90);
ALTER TABLE "source_profiles" SET (fillfactor = 90);
