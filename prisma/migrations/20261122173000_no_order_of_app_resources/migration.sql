-- Nothing lists app resources in the order of their creation, and every change of one had to be written to this index.
DROP INDEX CONCURRENTLY "app_resources_organization_id_ordinal_key";
