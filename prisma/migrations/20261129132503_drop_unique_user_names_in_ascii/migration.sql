DROP INDEX CONCURRENTLY "memberships_directory_user_name_unique";
