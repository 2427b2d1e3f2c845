CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
