// Words and forms that the project does not use, and what to write instead.

/**
 * A word or form. `prose` finds it in pages, promises, comments and texts; `names` in names of code, which are split into
 * words in lower case (`asItStands` is `as it stands`). A word that is right in prose has a pattern for names alone.
 * @typedef {{ word: string, means: string, instead: string, prose?: RegExp, names?: RegExp }} Banned
 */

/**
 * A pattern whose spaces may be line breaks.
 * @param {string} source
 */
const prose = (source) => new RegExp(source.replaceAll(' ', '\\s+'), 'gi');

/** @param {string} words alternatives */
const names = (words) => new RegExp(`\\b(?:${words})\\b`, 'g');

/** Participles after which `as it was` only says how something was done. */
const DONE = '\\w+(?:ed|en|wn|ght|nt|pt|lt|ft)|made|done|begun|put|set|cut|read|said|told|found|held|laid|paid';

/** Things that are shared or separate: `of its own` says which. */
const SEPARATE =
  'objects?|folders?|stores?|process|processes|tables?|files?|rows?|packages?|class|classes|workers?|trees?|commits?|transactions?';

/** Words within a clause of `what`: another question or a conjunction ends it. */
const CLAUSE = "(?: (?!(?:and|or|but|how|what|which|who|where|when|why|whether)\\b)[\\w`'’/()-]+)";

/**
 * A clause with `what` that is the subject of `is`, `are`, `was` or `were`: at the beginning of a sentence, or after a
 * comma or conjunction where the clause has a verb of its own. Questions and objects (`says what it is`) are right. The
 * first word of a doc comment is another figure.
 */
const WHAT_IS = new RegExp(
  [
    `(?:(?<=[.;:!] |\\*\\* )|^)What${CLAUSE}{1,14} (?:is|are|was|were)\\b(?= \\w)(?![^.!?]*\\?)`,
    `(?<=[,;:] |\\b(?:and|but|because|that|where|so) )what(?: (?:is|are|was|were|has|had|can|could|may|must|comes?|came|fails|fits|waits|needs|\\w+ed)|(?: (?:it|they|he|she|we|you|one)) (?!(?:is|are|was|were)\\b)\\w+)${CLAUSE}{0,10} (?:is|are|was|were)\\b(?= \\w)`,
  ]
    .join('|')
    .replaceAll(' ', '\\s+'),
  'gm',
);

/** @type {readonly Banned[]} */
export const BANNED = [
  {
    word: 'tell',
    means: 'delivers, reports, acknowledges or notifies',
    instead: 'deliver, report, acknowledge, notify',
    // To tell two things apart is right.
    prose: prose('\\b(?:tells?|told|telling)\\b(?! (?:\\S+ ){0,3}apart\\b)'),
    names: names('(?:tells?|told|telling)(?! apart)'),
  },
  {
    word: 'owe',
    means: 'is pending',
    instead: 'pending',
    // `owing to` is right.
    prose: prose('\\b(?:owes?|owed|owing(?! to\\b)|dues|debts?)\\b'),
    names: names('owes?|owed|owing|dues|debts?'),
  },
  {
    word: 'stands',
    means: 'has a status or a place',
    instead: 'status, is',
    // `stands for` is right.
    prose: prose('\\bhow (?:it|they|he|she|you|we|this|that|each|one) stands?\\b|\\b(?:stands|standing)\\b(?! for\\b)'),
    names: names('stands?|standing|stood'),
  },
  {
    word: 'elsewhere',
    means: 'remote or local; also theirs, and in names there and here',
    instead: 'remote, local',
    // `there` and `here` are right in prose.
    prose: prose('\\b(?:elsewhere|theirs)\\b'),
    names: names('elsewhere|theirs|there|here'),
  },
  {
    word: 'goes on',
    means: 'continues or resumes',
    instead: 'continue, resume',
    // A thing that goes on a page or a wire is put there.
    prose: prose(
      '\\b(?:go|goes|going|went|gone) on\\b(?! top\\b)(?! (?:the|an?|its|their) (?!run\\b|task\\b|turn\\b|session\\b|work\\b))',
    ),
    names: names('(?:go|goes|going|went|gone) on'),
  },
  {
    word: 'for good',
    means: 'is terminated, or permanent',
    instead: 'terminated, permanently',
    prose: prose('\\bfor good\\b(?! (?:reasons?|measure)\\b)'),
    names: names('for good'),
  },
  {
    word: 'left',
    means: 'is removed, or remains; also leave',
    instead: 'removed, remaining',
    // Right in prose, and as a side of a page.
    names:
      /(?<!\b(?:arrow|scroll|margin|padding|border|offset|pad|top|bottom) )\b(?:left|leave|leaves|leaving)\b(?! (?:pad|right|edge)\b)/g,
  },
  {
    word: 'brings',
    means: 'returns or attaches; also brought, gives',
    instead: 'return, attach',
    // To give up, way, back or rise is right.
    prose: prose('\\b(?:brings|brought|gives)\\b(?! (?:up|way|back|rise)\\b)'),
    names: names('brings?|bringing|brought|(?:gives?|giving)(?! (?:up|way|back|rise)\\b)'),
  },
  {
    word: 'is none',
    means: 'is invalid, or nothing was found; also called so',
    instead: 'invalid, no results',
    // `there is none` is right.
    prose: prose('(?<!\\bthere )\\b(?:is|are|was|were) none\\b|\\bcalled so\\b'),
  },
  {
    word: 'meanwhile',
    means: 'at the time of something that is not named',
    instead: 'while …, during …, or nothing',
    prose: prose('\\bmeanwhile\\b'),
    names: names('meanwhile'),
  },
  {
    word: 'as it was',
    means: 'is unchanged',
    instead: 'unchanged',
    // `as it was sent` is right.
    prose: prose(`\\bas (?:it|they|he|she) (?:was|were)\\b(?! (?:not )?(?:${DONE})\\b)|\\bas they stand\\b`),
    names: names('as (?:it|they) (?:was|were)'),
  },
  {
    word: 'what … is',
    means: 'a clause as the subject of a sentence',
    instead: 'the noun that is meant, as the subject',
    prose: WHAT_IS,
  },
  {
    word: 'whoever',
    means: 'any caller, user or agent',
    instead: 'the noun that is meant',
    prose: prose('\\bwhoever\\b'),
    names: names('whoever'),
  },
  {
    word: 'of its own',
    means: 'its, or nothing',
    instead: 'its, separate, or nothing',
    // Right of a thing that others share: an object or a folder of its own is a separate one.
    prose: prose(`(?<!\\b(?:${SEPARATE}) )\\bof (?:its|their|our|your|his|her|my|one's) own\\b`),
    names: names('of (?:its|their) own'),
  },
  { word: 'way', means: 'a transport, or a path', instead: 'transport, path', names: names('ways?') },
  {
    word: 'hand over',
    means: 'hands a session off, returns files, or moves a cleanup',
    instead: 'handoff, returnsFiles, cleanup',
    names: names('hand over|hands over|handed over|handover|handed after'),
  },
  {
    word: 'along',
    means: 'is copied with an agent above; also apart',
    instead: 'copied descendants, objects',
    names: names('along|apart'),
  },
  { word: 'seat', means: 'the definition that a state works by', instead: 'ResolvedAgent', names: names('seats?') },
  { word: 'beginnings', means: 'the queue of starts', instead: 'StartQueue', names: names('beginnings') },
  { word: 'errand', means: 'a scheduled effect', instead: 'scheduledEffect', names: names('errands?') },
  { word: 'mail', means: 'queued messages to a child', instead: 'QueuedMessage', names: names('mail|untaken|posted') },
  { word: 'steered', means: 'is routed', instead: 'routed', names: names('steered') },
];

/** Files whose texts are lists of words, and no sentences. */
export const WORD_LISTS = [/\/desk\/query\.ts$/];
