/** Pages and texts that are made from the source and from the docs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { referencePages } from '../../../scripts/lib/reference/pages.mjs';
import { llmsText, skillText } from '../../../scripts/lib/site/llms.mjs';
import { ERROR_CODES } from '../../../src/protocol/errors';
import { ERROR_HELP } from '../../../src/protocol/help/error-help';

describe('the reference', () => {
  it('[A22] explains every error code, and is what the source says', async () => {
    expect(Object.keys(ERROR_HELP).sort()).toEqual(Object.keys(ERROR_CODES).sort());
    const pages = await referencePages();
    expect([...pages.keys()]).toHaveLength(5);
    for (const [path, text] of pages) expect(readFileSync(join(root, path), 'utf8'), path).toBe(text);
  });

  it('[DF12] is in the text for coding agents, with a whole app; the skill names that text', () => {
    const text = llmsText();
    const parts = ['export default serve(', '"OffshootAgent"', 'createSubAgentTool(', 'requireApproval: true'];
    const [app = ''] = text.split('## Pages');
    for (const part of [...parts, 'createTestRuntime(', '"vitest"', "from '../src/agents'"])
      expect(app).toContain(part);
    for (const part of ['| `requireApproval` |', '`outcome_unknown`', '## Who may call the API'])
      expect(text).toContain(part);
    expect(app).toContain('workspace_edit_file(path, oldText, newText, version)');
    expect(app).toContain('context.files`: list(prefix?), stat(path), read(path, range?), readText(path, range?), ');
    expect(text).not.toMatch(/^\| `(?:length_required|parent_ended)` \||^- guides\/.*This page /m);
    expect(text).toContain('| `workspace` |');
    // About 30,000 tokens.
    expect(text.length).toBeLessThanOrEqual(120_000);
    expect(skillText()).toContain('dist/llms.txt');
  });
});
