/**
 * The questions that every front end has, by the name of their command. Not among them is what is read without holding the
 * ranks (the overlays, and the looks of `hang` and `run`), and what a session alone can be asked (its focus, its frames).
 */
import { handles } from './handles';
import { info } from './info';
import { nan } from './nan';
import { print } from './print';
import { queues } from './queues';
import { show } from './show';
import { stacks } from './stacks';

export const questions = { show, print, nan, handles, queues, stacks, info };
