CREATE TABLE `errands` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
