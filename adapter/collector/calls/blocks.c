/* blocks.c - data in blocks, each with its own count and place, or its own datatype. */
#include <stdlib.h>
#include "watch.h"

bool is_in_blocks(const struct call *call, const struct data_argument *data)
{
    const bool is_of_neighbours = call->function->flags & NEIGHBOURS;
    return data->shape == BLOCKS || data->shape == OWN_COUNT || data->shape == TYPED_BLOCKS || (is_of_neighbours && data->shape == EACH_MEMBER);
}

void blocks_give_back(struct blocks *blocks)
{
    if (blocks == NULL || atomic_fetch_sub(&blocks->users, 1) > 1)
        return;
    for (int i = 0; i < blocks->count; i++)
        layout_give_back(blocks->each[i].layout);
    free(blocks);
}

struct blocks *blocks_kept(struct blocks *blocks)
{
    if (blocks != NULL)
        atomic_fetch_add(&blocks->users, 1);
    return blocks;
}

static uint64_t type_of_block(const struct call *call, const struct data_argument *data, int index)
{
    const struct handle_argument types = {data->type, HANDLE_DATATYPE, MAKES, 0};
    return data->shape == TYPED_BLOCKS ? handle_in_argument(call, &types, (uint32_t)index) : type_at(call, data->type);
}

static struct block block_of(const struct call *call, const struct data_argument *data, const char *address, int index, bool may_ask)
{
    const bool is_even = data->shape == EACH_MEMBER, is_typed = data->shape == TYPED_BLOCKS;
    struct block block = {address, is_even ? integer_at(call, data->count) : integer_in(call, data->count, index, false), index, NULL};
    if (block.count <= 0)
        return block;
    block.layout = layout_of(type_of_block(call, data, index), may_ask);
    if (data->shape == OWN_COUNT || block.layout == NULL)
        return block;
    /* In bytes, those of neighbours are addresses. */
    const bool is_address = is_typed && call->function->flags & NEIGHBOURS;
    const int64_t displacement = is_even ? index * block.count : integer_in(call, data->displacements, index, is_address);
    block.address += displacement * (is_typed ? 1 : block.layout->extent);
    return block;
}

static struct blocks *new_blocks(int count)
{
    struct blocks *blocks = count < 0 ? NULL : calloc(1, sizeof *blocks + (size_t)count * sizeof *blocks->each);
    if (blocks == NULL)
        return NULL;
    blocks->users = 1;
    blocks->count = count;
    return blocks;
}

/* `only`: the block of this process alone; -1: those of all. */
static struct blocks *some_blocks(const struct call *call, const struct told_call *told, const struct data_argument *data, int only, bool may_ask)
{
    const char *address;
    int *neighbours = NULL;
    if (!concerns_us(call, told, data) || !address_of(call, data->buffer, &address))
        return NULL;
    const bool is_of_neighbours = call->function->flags & NEIGHBOURS;
    const int members = only >= 0 ? 1 : is_of_neighbours ? neighbours_in(told->comm, data == &call->function->takes, &neighbours) : partners_in(told->comm);
    struct blocks *blocks = new_blocks(members);
    for (int i = 0; blocks != NULL && i < members; i++) {
        if (neighbours != NULL && mpidbg_peer(neighbours[i]) == CALL_PROC_NULL)
            continue;
        blocks->each[i] = block_of(call, data, address, only >= 0 ? only : i, may_ask);
        if (neighbours != NULL || only >= 0)
            blocks->each[i].peer = only >= 0 ? OF_NOBODY : neighbours[i];
    }
    free(neighbours);
    return blocks;
}

struct blocks *blocks_of(const struct call *call, const struct told_call *told, const struct data_argument *data, bool may_ask)
{
    const int rank = data->shape == OWN_COUNT ? rank_in(told->comm) : -1;
    return data->shape == OWN_COUNT && rank < 0 ? NULL : some_blocks(call, told, data, rank, may_ask);
}

struct hit look_at_blocks(const struct blocks *blocks, enum wanted wanted)
{
    enum { LEAST = 64 };
    struct hit hit = {0};
    uint64_t bytes = 0, before = 0;
    for (int i = 0; blocks != NULL && i < blocks->count; i++) {
        const struct block *block = &blocks->each[i];
        bytes += block->layout == NULL || block->count <= 0 ? 0 : (uint64_t)block->count * block->layout->bytes;
    }
    const uint64_t most = most_bytes(), share = bytes <= most ? most : most / (uint64_t)blocks->count;
    for (int i = 0; blocks != NULL && i < blocks->count && !hit.is_found; i++) {
        const struct block *block = &blocks->each[i];
        if (block->layout == NULL || block->count <= 0)
            continue;
        hit = look_at_elements(block->address, block->count, block->layout, wanted, share < LEAST ? LEAST : share);
        hit.ordinal += before;
        hit.has_peer = hit.is_found && block->peer != OF_NOBODY;
        hit.peer = block->peer;
        before += (uint64_t)block->count * block->layout->numbers;
    }
    return hit;
}

struct hit look_once(struct blocks *blocks, enum wanted wanted)
{
    const struct hit hit = look_at_blocks(blocks, wanted);
    blocks_give_back(blocks);
    return hit;
}

struct hit look_at_data(const struct call *call, const struct told_call *told, const struct data_argument *data, enum wanted wanted, bool was_before)
{
    struct buffer buffer;
    if (wanted == WANTS_NOTHING)
        return (struct hit){0};
    if (is_in_blocks(call, data))
        return look_once(blocks_of(call, told, data, !was_before), wanted);
    return buffer_of(call, told, data, &buffer) ? look_at(&buffer, wanted, was_before) : (struct hit){0};
}

/* Where a process gives its own block in each, and where the other end names a part for each, all of it. */
struct blocks *blocks_given_in_place(const struct call *call, const struct told_call *told, bool may_ask)
{
    const struct data_argument *gives = &call->function->gives, *takes = &call->function->takes;
    const int rank = rank_in(told->comm), members = partners_in(told->comm);
    const bool is_own = gives->shape == ONE_BLOCK;
    struct buffer buffer;
    if (rank < 0 || members < 1)
        return NULL;
    if (is_in_blocks(call, takes))
        return some_blocks(call, told, takes, is_own ? rank : -1, may_ask);
    if (!buffer_of(call, told, takes, &buffer))
        return NULL;
    struct layout *layout = layout_of(buffer.type, may_ask);
    struct blocks *blocks = layout == NULL ? NULL : new_blocks(is_own ? 1 : members);
    for (int i = 0; blocks != NULL && i < blocks->count; i++) {
        const int64_t each = buffer.count / members, at = is_own ? rank : i;
        blocks->each[i] = (struct block){buffer.address + at * each * layout->extent, each, is_own ? OF_NOBODY : i, layout_kept(layout)};
    }
    layout_give_back(layout);
    return blocks;
}
