CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `queued` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
