/** What a definition says as its model where the test answers in its place. */
import { scriptedModel } from '../../src/model/scripted';

/** A model that nobody asks. */
export const noModel = scriptedModel([]);
