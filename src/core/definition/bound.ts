/** Whether this Worker has what an agent needs of it; unknown before `wrangler types` has written what there is. */
export type Bound<Needed> = [keyof Cloudflare.Env] extends [never]
  ? unknown
  : [Cloudflare.Env] extends [Needed]
    ? unknown
    : 'A tool of this agent, or of one below it, needs a binding or a variable that this Worker does not have.';
