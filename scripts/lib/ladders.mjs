/**
 * The ladders of migrations: each has a folder in `migrations/` and its tables in files of `src/store/schema/`.
 * @type {readonly { name: string, constant: string, schema: readonly string[] }[]}
 */
export const LADDERS = [
  { name: 'agent', constant: 'AGENT_MIGRATIONS', schema: ['agent.ts', 'files.ts'] },
  { name: 'root', constant: 'ROOT_MIGRATIONS', schema: ['root.ts'] },
  { name: 'directory', constant: 'DIRECTORY_MIGRATIONS', schema: ['directory.ts'] },
];
