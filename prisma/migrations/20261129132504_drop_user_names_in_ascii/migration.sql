DROP INDEX CONCURRENTLY "memberships_user_name_idx";
