-- Cards are printed as they are stored: jsonb keeps neither the order of keys nor their spelling. The table is rewritten.
ALTER TABLE "app_instances" ALTER COLUMN "a2a_agent_card" TYPE JSON USING "a2a_agent_card"::json;
