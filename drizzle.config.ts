import { defineConfig } from 'drizzle-kit';
import { LADDERS } from './scripts/lib/ladders.mjs';

// `npm run migrations` runs drizzle-kit once for each ladder, and names it and its folder here.
const ladder = LADDERS.find(({ name }) => name === process.env.OFFSHOOT_LADDER);
if (!ladder) throw new Error('Run `npm run migrations`: it names the ladder that drizzle-kit should work on.');

export default defineConfig({
  dialect: 'sqlite',
  schema: ladder.schema.map((file) => `./src/store/schema/${file}`),
  out: process.env.OFFSHOOT_LADDER_OUT ?? `./migrations/${ladder.name}`,
});
