/** Describes the objects that answers refer to, for their texts. */
import type { Document } from '../../plugin-api/mpi/records';
import { describeReferences } from '../query/described-references';
import type { Asked } from './question';

/** For a document about the ranks that are asked. */
export function withReferences(document: Document, { queries, ranks }: Asked): Promise<Document> {
  return describeReferences(document, (index, { kind, handle }) => queries.query(ranks[index]!, kind, BigInt(handle)));
}
