CREATE TABLE `log` (
	`first` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`node` integer NOT NULL,
	`number` integer NOT NULL,
	`size` integer NOT NULL,
	`data` text NOT NULL
);
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
