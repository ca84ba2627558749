/* blocks.c - data in blocks, each with its own count and place, or its own datatype. */
#include <stdlib.h>
#include "watch.h"

bool is_in_blocks(const struct data_argument *data)
{
    return data->shape == BLOCKS || data->shape == OWN_COUNT || data->shape == TYPED_BLOCKS;
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
    const int *counts = (const int *)call->arguments[data->count];
    struct block block = {address, counts[index], NULL};
    if (block.count <= 0)
        return block;
    block.layout = layout_of(type_of_block(call, data, index), may_ask);
    if (data->shape == OWN_COUNT || block.layout == NULL)
        return block;
    const long displacement = ((const int *)call->arguments[data->displacements])[index];
    block.address += displacement * (data->shape == TYPED_BLOCKS ? 1 : block.layout->extent);
    return block;
}

/* `only`: the block of this process alone; -1: those of all. */
static struct blocks *some_blocks(const struct call *call, const struct told_call *told, const struct data_argument *data, int only, bool may_ask)
{
    const char *address;
    if (call->function->is_large || !concerns_us(call, told, data) || !address_of(call, data->buffer, &address))
        return NULL;
    const int members = only >= 0 ? 1 : partners_in(told->comm);
    struct blocks *blocks = members < 0 ? NULL : calloc(1, sizeof *blocks + (size_t)members * sizeof *blocks->each);
    if (blocks == NULL)
        return NULL;
    blocks->users = 1;
    blocks->count = members;
    for (int i = 0; i < members; i++)
        blocks->each[i] = block_of(call, data, address, only >= 0 ? only : i, may_ask);
    return blocks;
}

struct blocks *blocks_of(const struct call *call, const struct told_call *told, const struct data_argument *data, bool may_ask)
{
    const int rank = data->shape == OWN_COUNT ? rank_in(told->comm) : -1;
    return data->shape == OWN_COUNT && rank < 0 ? NULL : some_blocks(call, told, data, rank, may_ask);
}

struct hit look_at_blocks(const struct blocks *blocks, enum wanted wanted)
{
    struct hit hit = {0};
    uint64_t before = 0;
    for (int i = 0; blocks != NULL && i < blocks->count && !hit.is_found; i++) {
        const struct block *block = &blocks->each[i];
        hit = look_at_elements(block->address, block->count, block->layout, wanted);
        hit.ordinal += before;
        before += block->layout == NULL || block->count <= 0 ? 0 : (uint64_t)block->count * numbers_in(block->layout);
    }
    return hit;
}

static struct hit look_once(struct blocks *blocks, enum wanted wanted)
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
    if (is_in_blocks(data))
        return look_once(blocks_of(call, told, data, !was_before), wanted);
    return buffer_of(call, told, data, &buffer) ? look_at(&buffer, wanted, was_before) : (struct hit){0};
}

/* Where a process gives its own block in each, and where the other end names a part for each, all of it. */
struct hit look_at_given_in_place(const struct call *call, const struct told_call *told, enum wanted wanted)
{
    const struct data_argument *gives = &call->function->gives, *takes = &call->function->takes;
    const int rank = rank_in(told->comm), members = partners_in(told->comm);
    struct buffer buffer;
    if (wanted == WANTS_NOTHING || rank < 0 || members < 1)
        return (struct hit){0};
    if (gives->shape != ONE_BLOCK)
        return look_at_data(call, told, takes, wanted, true);
    if (is_in_blocks(takes))
        return look_once(some_blocks(call, told, takes, rank, false), wanted);
    if (!buffer_of(call, told, takes, &buffer))
        return (struct hit){0};
    struct layout *layout = layout_of(buffer.type, false);
    struct hit hit = {0};
    if (layout != NULL) {
        buffer.count /= members;
        buffer.address += rank * buffer.count * layout->extent;
        hit = look_at(&buffer, wanted, true);
    }
    layout_give_back(layout);
    return hit;
}
