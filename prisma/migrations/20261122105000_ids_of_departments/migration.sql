-- As every other id that is printed. They were always made by the service.
ALTER TABLE "department_options" ADD CONSTRAINT "department_options_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]{1,128}$');
