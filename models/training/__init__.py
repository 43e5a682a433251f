"""What the training of every network shares: samples, batches, layers, the loop, the export."""
