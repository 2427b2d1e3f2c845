/** What `--help` prints. */
export const HELP = `Ask a question, watch the agents work on it, answer what they ask, read their report.

  npm run ask -- "How does an interrupt reach a grandchild?"
  npm run ask -- --file notes.md "What do my notes say about timeouts?"
  npm run ask -- --watch /agents/coordinator/interrupt-grandchild-3f9a21
  npm run ask -- --resume /agents/coordinator/interrupt-grandchild-3f9a21 "What survives a crash?"

Options
  --file PATH       send a file with the question; may be given several times
  --agent TYPE      whom to ask; default coordinator
  --watch ADDRESS   return to a run, also to one that has ended
  --resume ADDRESS  go on with a run that was stopped, or try one again that has failed; words
                    after it go along as a message, which a run that waits for you is sent, too
  --approve [ID]    with --watch: allow a call that waits, then watch on; the ID may be left out
                    where only one waits
  --deny [ID]       the same, but do not allow it; with --reason TEXT
  --yes             allow everything that comes up; each is shown
  --json            print the outcome alone, as JSON (the status document with the output)
  --url URL         the server; default OFFSHOOT_URL, else http://localhost:8787, else one that runs
                    here on another port, else one that is started and ended with this command
  --token TOKEN     the server's secret; better in OFFSHOOT_TOKEN, where no list of processes shows it
  --no-color        no colours; so does NO_COLOR
  --help            this

On a terminal, what waits for you is shown below the tree with the keys to answer it. Ctrl-C asks
whether to stop the run or only to look away; Ctrl-C again exits at once, and the run goes on.
Elsewhere, and with --json, nobody is asked: Ctrl-C looks away, and a run that waits ends the command.

Exit codes
  0  completed
  1  failed, stopped, refused, or waiting for an answer that nobody is asked for
  2  wrong arguments, or a file that cannot be read
  3  no server, or one that does not keep to the protocol
  130  looked away
`;
