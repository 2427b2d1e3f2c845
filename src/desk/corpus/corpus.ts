/** The documents that every library holds to begin with: the pages of this repository that are for users. */
import { createHash } from 'node:crypto';
import comingFromAgentsSdk from '../../../docs/coming-from/agents-sdk.md';
import comingFromAiSdk from '../../../docs/coming-from/ai-sdk.md';
import comingFromHelixAgents from '../../../docs/coming-from/helix-agents.md';
import comingFromLangGraph from '../../../docs/coming-from/langgraph.md';
import comingFromStandardAgents from '../../../docs/coming-from/standard-agents.md';
import comingFromTemporal from '../../../docs/coming-from/temporal.md';
import conceptsAgent from '../../../docs/concepts/agent.md';
import conceptsCrash from '../../../docs/concepts/crash.md';
import conceptsRun from '../../../docs/concepts/run.md';
import conceptsStop from '../../../docs/concepts/stop.md';
import conceptsTree from '../../../docs/concepts/tree.md';
import conceptsWait from '../../../docs/concepts/wait.md';
import examples from '../../../docs/examples.md';
import guarantees from '../../../docs/guarantees.md';
import guidesAgUi from '../../../docs/guides/ag-ui.md';
import guidesAgentsInOtherWorkers from '../../../docs/guides/agents-in-other-workers.md';
import guidesBackup from '../../../docs/guides/backup.md';
import guidesChatFrontEnds from '../../../docs/guides/chat-front-ends.md';
import guidesConsole from '../../../docs/guides/console.md';
import guidesCosts from '../../../docs/guides/costs.md';
import guidesDeploy from '../../../docs/guides/deploy.md';
import guidesFilesAndWorkspaces from '../../../docs/guides/files-and-workspaces.md';
import guidesFollowAndAnswer from '../../../docs/guides/follow-and-answer.md';
import guidesFork from '../../../docs/guides/fork.md';
import guidesHooks from '../../../docs/guides/hooks.md';
import guidesHttpApi from '../../../docs/guides/http-api.md';
import guidesInputOutputState from '../../../docs/guides/input-output-state.md';
import guidesLimitsAndVariables from '../../../docs/guides/limits-and-variables.md';
import guidesLongConversations from '../../../docs/guides/long-conversations.md';
import guidesModels from '../../../docs/guides/models.md';
import guidesReact from '../../../docs/guides/react.md';
import guidesScheduledStart from '../../../docs/guides/scheduled-start.md';
import guidesSchedules from '../../../docs/guides/schedules.md';
import guidesSdk from '../../../docs/guides/sdk.md';
import guidesSecure from '../../../docs/guides/secure.md';
import guidesStandardAgents from '../../../docs/guides/standard-agents.md';
import guidesSubAgentsAndCompanions from '../../../docs/guides/sub-agents-and-companions.md';
import guidesTest from '../../../docs/guides/test.md';
import guidesToolsAndApprovals from '../../../docs/guides/tools-and-approvals.md';
import guidesTroubleshooting from '../../../docs/guides/troubleshooting.md';
import guidesUpgrade from '../../../docs/guides/upgrade.md';
import startFirstApp from '../../../docs/start/first-app.md';
import startTryIt from '../../../docs/start/try-it.md';
import whyNot from '../../../docs/why-not.md';
import readme from '../../../README.md';
import type { Corpus } from '../library-store';
import type { LibraryDocument } from '../library-types';

/** The text of each page, by its path. Pages that only help to change Offshoot itself are not shipped: no answer may rest on them. */
const PAGES = {
  'docs/coming-from/agents-sdk.md': comingFromAgentsSdk,
  'docs/coming-from/ai-sdk.md': comingFromAiSdk,
  'docs/coming-from/helix-agents.md': comingFromHelixAgents,
  'docs/coming-from/langgraph.md': comingFromLangGraph,
  'docs/coming-from/standard-agents.md': comingFromStandardAgents,
  'docs/coming-from/temporal.md': comingFromTemporal,
  'docs/concepts/agent.md': conceptsAgent,
  'docs/concepts/crash.md': conceptsCrash,
  'docs/concepts/run.md': conceptsRun,
  'docs/concepts/stop.md': conceptsStop,
  'docs/concepts/tree.md': conceptsTree,
  'docs/concepts/wait.md': conceptsWait,
  'docs/examples.md': examples,
  'docs/guarantees.md': guarantees,
  'docs/guides/ag-ui.md': guidesAgUi,
  'docs/guides/agents-in-other-workers.md': guidesAgentsInOtherWorkers,
  'docs/guides/backup.md': guidesBackup,
  'docs/guides/chat-front-ends.md': guidesChatFrontEnds,
  'docs/guides/console.md': guidesConsole,
  'docs/guides/costs.md': guidesCosts,
  'docs/guides/deploy.md': guidesDeploy,
  'docs/guides/files-and-workspaces.md': guidesFilesAndWorkspaces,
  'docs/guides/follow-and-answer.md': guidesFollowAndAnswer,
  'docs/guides/fork.md': guidesFork,
  'docs/guides/hooks.md': guidesHooks,
  'docs/guides/http-api.md': guidesHttpApi,
  'docs/guides/input-output-state.md': guidesInputOutputState,
  'docs/guides/limits-and-variables.md': guidesLimitsAndVariables,
  'docs/guides/long-conversations.md': guidesLongConversations,
  'docs/guides/models.md': guidesModels,
  'docs/guides/react.md': guidesReact,
  'docs/guides/scheduled-start.md': guidesScheduledStart,
  'docs/guides/schedules.md': guidesSchedules,
  'docs/guides/sdk.md': guidesSdk,
  'docs/guides/secure.md': guidesSecure,
  'docs/guides/standard-agents.md': guidesStandardAgents,
  'docs/guides/sub-agents-and-companions.md': guidesSubAgentsAndCompanions,
  'docs/guides/test.md': guidesTest,
  'docs/guides/tools-and-approvals.md': guidesToolsAndApprovals,
  'docs/guides/troubleshooting.md': guidesTroubleshooting,
  'docs/guides/upgrade.md': guidesUpgrade,
  'docs/start/first-app.md': startFirstApp,
  'docs/start/try-it.md': startTryIt,
  'docs/why-not.md': whyNot,
  'README.md': readme,
};

function documentOf([source, page]: [string, string]): LibraryDocument {
  const text = page.replaceAll('\r\n', '\n');
  const name = source
    .replace(/^docs\/(?:\w+\/)?|\.md$/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, source, text };
}

const documents = Object.entries(PAGES).map(documentOf);

/** The shipped documents. Their version changes with any of them. */
export const CORPUS: Corpus = {
  version: `shipped-${createHash('sha256').update(JSON.stringify(documents)).digest('hex').slice(0, 16)}`,
  documents,
};
