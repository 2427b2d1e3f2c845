CREATE TABLE `log` (
	`first` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`node` integer NOT NULL,
	`number` integer NOT NULL,
	`size` integer NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pending` (
	`call_id` text NOT NULL,
	`node` integer NOT NULL,
	`open` integer NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`call_id`, `node`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`data` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tree` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `turns` (
	`turn` integer PRIMARY KEY NOT NULL,
	`first` integer NOT NULL
);
