// Generated.
import type { Migration } from "./migrate";

export const AGENT_MIGRATIONS: readonly Migration[] = [
  {
    "tag": "0000_first",
    "statements": [
      "CREATE TABLE `children` (\n\t`class_name` text NOT NULL,\n\t`slot` integer NOT NULL,\n\t`generation` integer NOT NULL,\n\t`session_id` text NOT NULL,\n\t`call_id` text NOT NULL,\n\t`step_id` integer NOT NULL,\n\t`free` integer NOT NULL,\n\tPRIMARY KEY(`class_name`, `slot`)\n) WITHOUT ROWID;",
      "CREATE TABLE `messages` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`data` text NOT NULL\n);",
      "CREATE TABLE `outbox` (\n\t`place` integer PRIMARY KEY NOT NULL,\n\t`first` integer NOT NULL,\n\t`data` text NOT NULL\n);",
      "CREATE TABLE `overflow` (\n\t`owner` text NOT NULL,\n\t`part` integer NOT NULL,\n\t`text` text NOT NULL,\n\tPRIMARY KEY(`owner`, `part`)\n) WITHOUT ROWID;",
      "CREATE TABLE `receipts` (\n\t`key` text PRIMARY KEY NOT NULL,\n\t`body` text NOT NULL,\n\t`answer` text NOT NULL,\n\t`expires_at` integer NOT NULL\n) WITHOUT ROWID;",
      "CREATE TABLE `runs` (\n\t`turn` integer PRIMARY KEY NOT NULL,\n\t`data` text NOT NULL\n);",
      "CREATE TABLE `session` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`data` text NOT NULL,\n\t`custom` text NOT NULL\n);",
      "CREATE TABLE `settlements` (\n\t`key` integer PRIMARY KEY NOT NULL,\n\t`data` text NOT NULL\n);",
      "CREATE TABLE `steps` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`turn` integer NOT NULL,\n\t`data` text NOT NULL\n);",
      "CREATE TABLE `file_chunks` (\n\t`key` integer PRIMARY KEY NOT NULL,\n\t`data` blob NOT NULL\n);",
      "CREATE TABLE `files` (\n\t`path` text PRIMARY KEY NOT NULL,\n\t`size` integer NOT NULL,\n\t`media_type` text NOT NULL,\n\t`etag` text NOT NULL,\n\t`updated_at` integer NOT NULL,\n\t`content` integer,\n\t`tail` blob NOT NULL\n) WITHOUT ROWID;"
    ]
  }
];

export const ROOT_MIGRATIONS: readonly Migration[] = [
  {
    "tag": "0000_first",
    "statements": [
      "CREATE TABLE `log` (\n\t`first` integer PRIMARY KEY NOT NULL,\n\t`count` integer NOT NULL,\n\t`node` integer NOT NULL,\n\t`number` integer NOT NULL,\n\t`size` integer NOT NULL,\n\t`data` text NOT NULL\n);",
      "CREATE TABLE `tree` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`data` text NOT NULL\n);",
      "CREATE TABLE `turns` (\n\t`turn` integer PRIMARY KEY NOT NULL,\n\t`first` integer NOT NULL\n);"
    ]
  }
];

export const DIRECTORY_MIGRATIONS: readonly Migration[] = [
  {
    "tag": "0000_first",
    "statements": [
      "CREATE TABLE `deletions` (\n\t`key` text PRIMARY KEY NOT NULL,\n\t`name` text NOT NULL,\n\t`expires_at` integer NOT NULL\n) WITHOUT ROWID;",
      "CREATE TABLE `roots` (\n\t`name` text PRIMARY KEY NOT NULL,\n\t`generation` integer NOT NULL,\n\t`created_at` integer NOT NULL,\n\t`last_activity` integer NOT NULL,\n\t`status` text NOT NULL,\n\t`display_name` text,\n\t`tags` text NOT NULL,\n\t`deleted_at` integer\n) WITHOUT ROWID;"
    ]
  }
];
