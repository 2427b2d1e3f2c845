CREATE TABLE `pending` (
	`call_id` text PRIMARY KEY NOT NULL,
	`node` integer NOT NULL,
	`open` integer NOT NULL,
	`data` text NOT NULL
) WITHOUT ROWID;
