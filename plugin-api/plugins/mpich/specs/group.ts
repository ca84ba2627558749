/** Groups, and which process a rank is. */
import { addressOf, bool, i32, i64, optional, pointer, struct, u32 } from '../../../struct';

/** Which process a rank is: maps of the device ch4, until 5.0 left that to the groups. */
function rankMapSpec(map: string) {
  return struct('MPIR_Comm', {
    handle: u32('handle'),
    mode: optional(i32(`${map}.mode`)),
    table: optional(i32(`${map}.avtid`)),
    offset: optional(i32(`${map}.reg.stride.offset`)),
    stride: optional(i32(`${map}.reg.stride.stride`)),
    blockSize: optional(i32(`${map}.reg.stride.blocksize`)),
    processes: optional(pointer(`${map}.irreg.lut.lpid`)),
  });
}

/** The map of an intracommunicator's only group; for an intercommunicator, of its remote group. */
export const mapSpec = rankMapSpec('dev.ch4.map');

/** The map of an intercommunicator's local group. */
export const localMapSpec = rankMapSpec('dev.ch4.local_map');

/** 5.0 replaced lrank_to_lpid by pmap. */
export const groupSpec = struct('MPIR_Group', {
  handle: u32('handle'),
  references: i32('ref_count'),
  size: i32('size'),
  rank: i32('rank'),
  members: optional(pointer('lrank_to_lpid')),
  usesMap: optional(bool('pmap.use_map')),
  map: optional(pointer('pmap.u.map')),
  offset: optional(i64('pmap.u.stride.offset')),
  stride: optional(i64('pmap.u.stride.stride')),
});

export const groupMemberSpec = struct('MPII_Group_pmap_t', { process: i64('lpid') });

/** One process in the device's table of addresses. */
export const addressEntrySpec = struct('MPIDI_av_entry_t', { endpoint: addressOf('netmod.ucx.dest') });
