/** The text of a Markdown page, for a module that imports it (`rules` of wrangler.jsonc, `pageText` of vitest.config.ts). */
declare module '*.md' {
  const text: string;
  export default text;
}
