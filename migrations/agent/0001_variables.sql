CREATE TABLE `variables` (
	`name` text PRIMARY KEY NOT NULL,
	`data` text NOT NULL
) WITHOUT ROWID;
